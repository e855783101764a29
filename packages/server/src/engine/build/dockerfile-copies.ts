import { readFlags } from './dockerfile-flags.ts'

const STEP = /^(?:ONBUILD[\s\u0085]+)*(?:COPY|RUN)[\s\u0085]+(.*)/is
const FLAG = /^--(?:from=(.*)|mount=(.*))$/is
const ESCAPES = ['\\', '`']

/** The images, or stages, that `COPY --from` and `RUN --mount=from=` name. */
export function copiedFrom(text: string): string[] {
  const rest = STEP.exec(text)?.[1]
  if (rest === undefined) return []
  const flags = new Set(ESCAPES.flatMap((escape) => readFlags(rest, escape).flags))
  return [...flags].flatMap((flag) => {
    const [, from, mount] = FLAG.exec(flag) ?? []
    return from === undefined ? fromOf(mount ?? '') : [from]
  })
}

/** Commas within quotes split here too: better to find a name too many than one too few. */
function fromOf(options: string): string[] {
  const fields = options.replaceAll('"', '').split(',')
  return fields.filter((field) => /^from=/i.test(field.trim())).map((field) => field.trim().slice('from='.length))
}
