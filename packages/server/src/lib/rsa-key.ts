import type { AsymmetricKeyDetails, KeyObject } from 'node:crypto'

/** Everybody uses 65537. A long one costs as much as a long key. */
const MOST_EXPONENT = 2n ** 32n

/** Not so short that it is weak, and not so long that a signature takes seconds. */
export function isUsualRsa({ modulusLength: bits = 0, publicExponent = 0n }: AsymmetricKeyDetails): boolean {
  return bits >= 2048 && bits <= 4096 && publicExponent < MOST_EXPONENT
}

/**
 * Whether the factors and exponents of an RSA key are those of its modulus, and the factors equally long. OpenSSL believes them, and with
 * others it needs up to ten times as long for a signature, which is right all the same.
 */
export function isConsistentRsa(key: KeyObject): boolean {
  const jwk = key.export({ format: 'jwk' })
  const [n, e, p, q] = [numberOf(jwk.n), numberOf(jwk.e), numberOf(jwk.p), numberOf(jwk.q)]
  const [dp, dq, qi] = [numberOf(jwk.dp), numberOf(jwk.dq), numberOf(jwk.qi)]
  const half = n.toString(2).length / 2
  const isHalf = (factor: bigint) => Math.abs(factor.toString(2).length - half) <= 1
  return (
    p * q === n &&
    isHalf(p) &&
    isHalf(q) &&
    dp < p &&
    dq < q &&
    qi < p &&
    (e * dp) % (p - 1n) === 1n &&
    (e * dq) % (q - 1n) === 1n &&
    (q * qi) % p === 1n
  )
}

function numberOf(base64url: string | undefined): bigint {
  return BigInt(`0x0${Buffer.from(base64url ?? '', 'base64url').toString('hex')}`)
}
