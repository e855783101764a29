/** The two ways to edit variables. */
export const VIEWS = [
  { value: 'table', label: 'Table' },
  { value: 'text', label: 'Edit as .env' },
] as const
