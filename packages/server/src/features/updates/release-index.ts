import { createPublicKey, verify } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'
import { parseForeignJson } from '../../lib/foreign-json.ts'
import { compareVersions, isVersion } from './versions.ts'

const Archive = Type.Object({
  file: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,200}$' }),
  bytes: Type.Integer({ minimum: 1 }),
  unpackedBytes: Type.Integer({ minimum: 1 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
})
const Release = Type.Object({
  version: Type.String(),
  channel: Type.Union([Type.Literal('stable'), Type.Literal('next')]),
  publishedAt: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z$' }),
  notes: Type.String({ maxLength: 100_000 }),
  /** The oldest version that may be updated to this one directly. */
  oldest: Type.String(),
  /** The oldest version of the engine. */
  engine: Type.String(),
  archives: Type.Record(Type.String(), Archive),
})
const Index = Type.Object({ format: Type.Literal(1), releases: Type.Array(Release) })
const Signed = Type.Object({ signed: Type.String(), signature: Type.String() })
export type Release = Static<typeof Release>
export type Archive = Static<typeof Archive>

export class BadIndex extends Error {}

/** The releases of a feed, if one of the keys signed exactly this text. */
export function readIndex(text: string, keys: readonly string[]): Release[] {
  const envelope = parsed(text)
  if (!Value.Check(Signed, envelope)) throw new BadIndex('it is not an index of releases')
  const bytes = Buffer.from(envelope.signed)
  const signature = Buffer.from(envelope.signature, 'base64')
  if (!keys.some((key) => isSignedBy(key, bytes, signature))) throw new BadIndex('its signature is not valid')
  const index = parsed(envelope.signed)
  if (!Value.Check(Index, index)) throw new BadIndex('it has a format that this version of Berth does not know')
  return index.releases.filter(({ version, oldest }) => isVersion(version) && isVersion(oldest))
}

function isSignedBy(key: string, bytes: Buffer, signature: Buffer): boolean {
  try {
    return verify(null, bytes, createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' }), signature)
  } catch {
    return false
  }
}

function parsed(text: string): unknown {
  try {
    return parseForeignJson(text)
  } catch (cause) {
    throw new BadIndex('it is not JSON', { cause })
  }
}

type Running = { version: string; platform: string; channel: Release['channel'] }

/** The newest release that this version may be updated to directly; `next` has the stable ones too. */
export function chooseRelease(releases: readonly Release[], { version, platform, channel }: Running): Release | undefined {
  return releases
    .filter((release) => release.channel === 'stable' || channel === 'next')
    .filter((release) => release.archives[platform] !== undefined)
    .filter((release) => compareVersions(release.version, version) > 0 && compareVersions(release.oldest, version) <= 0)
    .toSorted((a, b) => compareVersions(b.version, a.version))[0]
}
