export const productName = "Miranda";
export const documentationUrl = "https://docs.miranda.dev";
export const supportEmail = "support@miranda.dev";
