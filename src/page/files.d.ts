// Style sheets are put beside the scripts by the build.
declare module '*.css';

// Texts are taken into the scripts.
declare module '*.md' {
  const text: string;
  export default text;
}

// Pictures lie beside the scripts; it is the name of the file.
declare module '*.png' {
  const name: string;
  export default name;
}
