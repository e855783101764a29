import Type from 'typebox'
import { Id } from './fields.ts'

export const ById = Type.Object({ id: Id })
export const Deleted = Type.Object({ id: Id })
export const Nothing = Type.Object({})
