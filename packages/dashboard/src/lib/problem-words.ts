import { ApiError } from '@berth/contract'

/** A sentence of its own: the field's label is near it, so the API's name for the field is left out. */
export function problemSentence(field: string, message: string): string {
  return sentence(withoutName(field, message))
}

/** With a capital at the beginning and a full stop at the end. */
export function sentence(words: string): string {
  const isName = /^\S+\.\S/.test(words) // a sentence may begin with the name of a host
  return `${isName ? words.slice(0, 1) : words.slice(0, 1).toUpperCase()}${words.slice(1)}${words === '' || /[.!?]$/.test(words) ? '' : '.'}`
}

function withoutName(field: string, message: string): string {
  const start = [`${field}: `, `${field} `].find((name) => message.startsWith(name))
  return start === undefined ? message : message.slice(start.length)
}

/** What went wrong, where there is one field whose problem it can be. */
export function errorWords(error: Error): string {
  const [detail, ...others] = error instanceof ApiError ? error.details : []
  return detail && others.length === 0 ? problemSentence(detail.field, detail.message) : error.message
}
