import packageFile from "../../package.json" with { type: "json" };

/** The version of the product. package.json is the one place to change it. */
export const version = packageFile.version;
