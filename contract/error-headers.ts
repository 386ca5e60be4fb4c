/** The header that carries the code of a refusal. Programs compare the code, people read the words. */
export const errorHeader = "x-miranda-error";

/** The header with the place in the code that caused a refusal, as `node:line`. */
export const placeHeader = "x-miranda-place";
