/** LIST of the public keys (ed25519, SPKI in base64) that releases may be signed with. A new key is added here before the old one goes. */
export const RELEASE_KEYS: readonly string[] = ['MCowBQYDK2VwAyEAU4GCVEN4ZVu0H0gjUzBMRX/k+yd10Gz0z5g08LJQPJ0=']
