// Here too, because primitives may not import from the contract.
export { fileSize } from "@miranda/contract/words/file-size.ts";
