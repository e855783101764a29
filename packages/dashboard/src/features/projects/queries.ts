import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'

export const projectKeys = {
  all: ['projects'],
  list: ['projects', 'list'],
  one: (id: number) => ['projects', 'one', id],
} as const

export const projects = queryOptions({ queryKey: projectKeys.list, queryFn: () => call('projects.list') })

export function project(id: number) {
  return queryOptions({ queryKey: projectKeys.one(id), queryFn: () => call('projects.get', { id }) })
}

/** The API sends tags as one comma-separated text. */
export function tagsOf(text: string): string[] {
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
}
