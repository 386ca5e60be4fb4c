// The login page asks this before it loads the library for passkeys.

/** Why passkeys cannot be used here. Undefined: they can. */
export function passkeyObstacle(): string | undefined {
  if (/^[\d.]+$|:/.test(location.hostname))
    return "Passkeys do not work with an IP address. Open this server by its host name.";
  if (!isSecureContext) return "Passkeys work only over https.";
  return "PublicKeyCredential" in window ? undefined : "This browser does not support passkeys.";
}
