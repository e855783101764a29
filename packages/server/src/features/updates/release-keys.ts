/**
 * LIST of the public keys (ed25519, SPKI in base64) that releases may be signed with; `npm run release -- --new-key` prints one. A new key is
 * added here before the old one goes. While the list is empty, only releases signed with `BERTH_UPDATE_KEY` are accepted.
 */
export const RELEASE_KEYS: readonly string[] = []
