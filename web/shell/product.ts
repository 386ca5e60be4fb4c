export const productName = "Miranda";
export const supportEmail = "support@miranda.dev";
