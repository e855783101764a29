import { type Application, referenceTo } from '@berth/contract'

const NAMES: Readonly<Record<string, string>> = { redis: 'REDIS_URL', mongodb: 'MONGODB_URL' }

/** The variable in which most libraries look for the URL of such a database. */
export function usualName({ template_name }: Pick<Application, 'template_name'>): string {
  return NAMES[template_name] ?? 'DATABASE_URL'
}

export function connectionReference({ slug }: Pick<Application, 'slug'>): string {
  return referenceTo(slug, 'URL')
}
