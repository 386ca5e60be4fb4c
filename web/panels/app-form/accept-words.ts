const families: Readonly<Record<string, string>> = {
  image: "pictures",
  audio: "sound",
  video: "videos",
  text: "text",
};

/** What files a control accepts, as people say it: ".csv,image/*" is "CSV or pictures". */
export function acceptWords(accept: string): string {
  const words = accept
    .split(",")
    .map((one) => one.trim().toLowerCase())
    .filter((one) => one !== "" && one !== "*" && one !== "*/*")
    .map((one) => {
      if (one.startsWith(".")) return one.slice(1).toUpperCase();
      const [family = "", kind = ""] = one.split("/");
      return kind === "*" ? (families[family] ?? family) : kind.replace(/^(?:x-|vnd\.)/, "").toUpperCase();
    });
  const different = [...new Set(words)];
  const last = different.pop() ?? "";
  return different.length === 0 ? last : `${different.join(", ")} or ${last}`;
}
