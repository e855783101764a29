import Type, { type Static } from 'typebox'
import { expects, Id, Nullable, OneOf, Time } from './fields.ts'

/** A domain name or an address, with a port if it is not 443. */
const HOST = '^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:[0-9]{1,5})?$'

/** Credentials for an image registry. Responses never contain the password. */
export const Registry = Type.Object({
  id: Id,
  /** Such as docker.io, ghcr.io and registry.example.com:5000. */
  host: Type.String(),
  username: Type.String(),
  /** The project whose apps use it; null for one of a person. */
  projectId: Nullable(Id),
  /** Who saved it; null if that user was deleted. */
  ownerId: Nullable(Id),
  status: OneOf(['ok', 'error']),
  /** What is wrong, and what to do about it. */
  error: Type.String(),
  createdAt: Time,
})
export type Registry = Static<typeof Registry>

export const NewRegistry = Type.Object({
  host: Type.String({ minLength: 1, maxLength: 260, pattern: HOST, ...expects('the host of a registry, such as ghcr.io or docker.io') }),
  username: Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: '^[^\\u0000-\\u001f\\u007f:]+$',
    ...expects('a user name without a colon'),
  }),
  password: Type.String({
    minLength: 1,
    maxLength: 8192,
    pattern: '^[^\\u0000-\\u001f\\u007f]+$',
    ...expects('a password or an access token, on one line'),
  }),
  projectId: Type.Optional(Nullable(Id)),
})
export type NewRegistry = Static<typeof NewRegistry>
export const RegistryOnly = Type.Object({ registryId: Id })

/** What the registry has for an app's image now, beside what runs. */
export const ImageCheck = Type.Object({
  image: Type.String(),
  /** The digest that the image has in the registry. */
  digest: Type.String(),
  /** The digest of the live release; empty without one. */
  liveDigest: Type.String(),
  isNewer: Type.Boolean(),
})
export type ImageCheck = Static<typeof ImageCheck>
export const ImageLookRequest = Type.Object({ projectId: Id, image: Type.String({ minLength: 1, maxLength: 255, ...expects('an image') }) })
/** Whether an image can be pulled for a project. What is wrong is an answer too. */
export const ImageLook = Type.Object({ found: Type.Boolean(), message: Type.String(), digest: Type.String() })
export type ImageLook = Static<typeof ImageLook>
