import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";

import type { PasskeyChallenge } from "@miranda/contract/schemas/account/sign-in.ts";

const isPresent = 0x01;
const isVerified = 0x04;
const hasKey = 0x40;

interface Deviation {
  /** Another page that asks. */
  origin?: string;
  counter?: number;
  /** The person was present, but did not unlock the device. */
  isUnverified?: boolean;
  userHandle?: string;
}

/** A passkey of our own (WebAuthn, ES256), that can also do what a real one never does. */
export function createSoftwarePasskey(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(16);
  let counter = 0;
  let owner = "";

  const clientData = (type: string, challenge: string, from: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }));

  function authenticatorData(flags: number, count: number): Buffer {
    const numbers = Buffer.alloc(5);
    numbers.writeUInt8(flags);
    numbers.writeUInt32BE(count, 1);
    return Buffer.concat([createHash("sha256").update(new URL(origin).hostname).digest(), numbers]);
  }

  return {
    /** Responds to the challenge of `POST /api/v3/auth/passkeys/challenge`. */
    register({ ticket, options }: PasskeyChallenge, name: string, { origin: from = origin }: Deviation = {}) {
      owner = Buffer.from((options["user"] as { id: string }).id, "base64url").toString();
      const key = Buffer.concat([
        Buffer.from("a5010203262001215820", "hex"),
        Buffer.from(x, "base64url"),
        Buffer.from("225820", "hex"),
        Buffer.from(y, "base64url"),
      ]);
      const idLength = Buffer.from([0, id.length]);
      const data = Buffer.concat([
        authenticatorData(isPresent | isVerified | hasKey, counter),
        Buffer.alloc(16),
        ...[idLength, id, key],
      ]);
      const object = Buffer.concat([
        Buffer.from("a363666d74646e6f6e656761747453746d74a068617574684461746158", "hex"),
        Buffer.from([data.length]),
        data,
      ]);
      const response = {
        clientDataJSON: clientData("webauthn.create", options.challenge, from).toString("base64url"),
        attestationObject: object.toString("base64url"),
        transports: ["internal"],
      };
      return { ticket, name, response: { ...credential(), response } };
    },

    /** Responds to a challenge to sign in, or to prove who somebody is. */
    respond({ ticket, options }: PasskeyChallenge, deviation: Deviation = {}) {
      counter = deviation.counter ?? counter + 1;
      const client = clientData("webauthn.get", options.challenge, deviation.origin ?? origin);
      const data = authenticatorData(isPresent | (deviation.isUnverified ? 0 : isVerified), counter);
      const hash = createHash("sha256").update(client).digest();
      const signature = createSign("sha256").update(data).update(hash).sign(privateKey);
      const response = {
        clientDataJSON: client.toString("base64url"),
        authenticatorData: data.toString("base64url"),
        signature: signature.toString("base64url"),
        userHandle: Buffer.from(deviation.userHandle ?? owner).toString("base64url"),
      };
      return { ticket, response: { ...credential(), response } };
    },
  };

  function credential() {
    const text = id.toString("base64url");
    return { id: text, rawId: text, type: "public-key", clientExtensionResults: {} };
  }
}
