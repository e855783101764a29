/** `projectId` or `project_id` as people write it: "Project ID". */
export function fieldWords(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/\b(id|url|cpu|dns|ip)\b/g, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function valueWords(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'string') return value === '' ? 'Empty' : value
  if (Array.isArray(value)) return value.length === 0 ? 'None' : value.map(valueWords).join(', ')
  if (typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value)
  return fields.length === 0 ? 'None' : fields.map(([name, each]) => `${fieldWords(name)}: ${valueWords(each)}`).join('; ')
}
