import Type, { type Static } from 'typebox'

export const Template = Type.Object({
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  image: Type.String(),
  version: Type.String(),
  port: Type.Integer(),
  aliases: Type.Array(Type.String()),
})
export type Template = Static<typeof Template>
