import Type, { type TObject, type TSchema } from 'typebox'

/**
 * Who may call an operation. Every policy except the first six names the object it loads: the handler receives that object, and only if
 * the caller can see it.
 */
export const POLICIES = [
  'anyone',
  'signed webhook',
  'deploy hook',
  'signed in',
  'admin',
  'owner',
  'member of the project',
  'owner of the project',
  'member but not owner of the project',
  'member of the app',
  'owner of the app',
  'steward of the app',
  'member of the env variable',
  'member of the domain',
  'member of the deployment',
  'member of the container',
  'user of the git account',
  'owner of the git account',
  'user of the registry',
  'owner of the registry',
  'reader of deliveries',
  'member of the delivery',
] as const
export type Policy = (typeof POLICIES)[number]
/** Those that need no session. */
export type OpenPolicy = 'anyone' | 'signed webhook' | 'deploy hook'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type Shape = 'envelope' | 'bare' | 'text' | 'file' | 'redirect'

export type Operation = {
  method: Method
  path: string
  may: Policy
  summary: string
  params?: TObject
  query?: TObject
  body?: TObject
  /** `data` of the envelope, the whole body (bare), plain text, a file to save, or where a redirect leads. */
  answer: TSchema
  shape: Shape
  message?: string
  bodyLimit?: number
}

type Line = Omit<Operation, 'shape' | 'answer'> & { answer?: TSchema; shape?: Shape }
type Whole<L extends Line> = L & {
  shape: L extends { shape: infer S extends Shape } ? S : 'envelope'
  answer: L extends { answer: infer A extends TSchema } ? A : Type.TString
}

export function operation<const L extends Line>(line: L): Whole<L> {
  return { shape: 'envelope', answer: Type.String(), ...line } as Whole<L> // the defaults above are what Whole says
}
