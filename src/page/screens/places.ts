// The screens of where miners stand, which are loaded together.
export { Locations } from './locations/locations.tsx';
export { FarmMap } from './map/farm-map.tsx';
export { RackMap } from './map/rack-map.tsx';
export { Walk } from './walk/walk.tsx';
