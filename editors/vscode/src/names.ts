// Names that package.json and the code share.

/** The type of debug sessions. */
export const TYPE = "borges";

/** The debug view's tree. */
export const MULTIVERSE = "borges.multiverse";

/** The editor of modules. */
export const MODULE = "borges.module";
