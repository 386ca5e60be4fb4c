/** The sign before every amount. */
export const currencySign = "$";
