// Names that package.json and the code share.

/** The type of debug sessions. */
export const TYPE = "borges";

/** The languages of programs that are models. */
export const MODEL_LANGUAGES = ["borges-actors", "borges-oz", "borges-amb"];

/** The debug view's tree. */
export const MULTIVERSE = "borges.multiverse";

/** The editor of modules. */
export const MODULE = "borges.module";
