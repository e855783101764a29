import { type Answer, ApiError, type Input, type OperationName } from '@berth/contract'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { call } from './api.ts'
import { checkInput, type Problem } from './check-input.ts'
import { problemSentence } from './problem-words.ts'

type Options<Name extends OperationName, Values> = {
  initial: Values
  /** The request, from the values of the form. */
  input: (values: Values) => Input<Name>
  onDone: (answer: Answer<Name>, values: Values) => void | Promise<void>
}

/** What a field needs of the form: `{...form.field('name')}`. */
export type FieldBinding<Value> = { value: Value; onText: (value: Value) => void; problem: string | undefined }
/** The same for a list to choose from. */
type ChoiceBinding<Value> = { value: Value; onPick: (value: Value) => void; problem: string | undefined }

/** The part of a form that a group of fields works with. */
export type FormFields<Values> = {
  values: Values
  set: <Key extends keyof Values & string>(key: Key, value: Values[Key]) => void
  field: <Key extends keyof Values & string>(key: Key) => FieldBinding<Values[Key]>
  /** Sets several values at once. */
  patch: (change: Partial<Values>) => void
  choice: <Key extends keyof Values & string>(key: Key) => ChoiceBinding<Values[Key]>
  problems: Record<string, string>
}

/** A form around one operation: checked by the contract's schema first, then by the server, whose details go to their fields. */
export function useForm<Name extends OperationName, Values extends Record<string, unknown>>(name: Name, options: Options<Name, Values>) {
  const [values, setValues] = useState(options.initial)
  const [touched, setTouched] = useState(false)
  const [problems, setProblems] = useState<Record<string, string>>({})
  const mutation = useMutation({
    mutationFn: (input: Input<Name>) => (call as (name: Name, input: Input<Name>) => Promise<Answer<Name>>)(name, input), // the tuple form of `call` cannot be spread generically
    onSuccess: (answer) => {
      flushSync(() => setTouched(false)) // `onDone` may leave the page, which asks when something is unsaved
      return options.onDone(answer, values)
    },
    onError: (error) => setProblems(fieldProblems(error)),
  })

  function change(fields: readonly string[], update: (before: Values) => Values): void {
    setValues(update)
    setTouched(true)
    setProblems((before) => Object.fromEntries(Object.entries(before).filter(([field]) => !fields.includes(field))))
  }

  function set<Key extends keyof Values & string>(key: Key, value: Values[Key]): void {
    change([key], (before) => ({ ...before, [key]: value }))
  }

  function patch(changed: Partial<Values>): void {
    change(Object.keys(changed), (before) => ({ ...before, ...changed }))
  }

  function field<Key extends keyof Values & string>(key: Key): FieldBinding<Values[Key]> {
    return { value: values[key], onText: (value) => set(key, value), problem: problems[key] }
  }

  function choice<Key extends keyof Values & string>(key: Key): ChoiceBinding<Values[Key]> {
    return { value: values[key], onPick: (value) => set(key, value), problem: problems[key] }
  }

  function submit(event?: { preventDefault: () => void }): void {
    event?.preventDefault()
    const input = options.input(values)
    const found = checkInput(name, input as Record<string, unknown>) // a typed input is a record
    setProblems(byField(found))
    if (found.length === 0) mutation.mutate(input)
  }

  function reset(next: Values = options.initial): void {
    setValues(next)
    setTouched(false)
    setProblems({})
    mutation.reset()
  }

  return {
    values,
    set,
    patch,
    field,
    choice,
    submit,
    reset,
    problems,
    touched,
    pending: mutation.isPending,
    failure: failureOf(mutation.error, problems),
  }
}

function byField(problems: readonly Problem[]): Record<string, string> {
  return Object.fromEntries(problems.map(({ field, message }) => [field, problemSentence(field, message)]))
}

function fieldProblems(error: unknown): Record<string, string> {
  return error instanceof ApiError ? byField(error.details) : {}
}

/** The message for the whole form, unless the fields already say it. */
function failureOf(error: Error | null, problems: Record<string, string>): string | undefined {
  if (!error) return undefined
  return Object.keys(problems).length > 0 && error instanceof ApiError && error.details.length > 0 ? undefined : error.message
}
