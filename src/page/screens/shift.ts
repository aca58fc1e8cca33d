// The screens of who hands over a shift and of who answers for the farm, which are loaded together.
export { Changes } from './changes/changes.tsx';
export { WalkList } from './list/walk-list.tsx';
export { Overview } from './overview/overview.tsx';
