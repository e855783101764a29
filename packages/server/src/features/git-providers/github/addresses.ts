import { randomBytes } from 'node:crypto'
import { parseBaseUrl } from '../../../git-hosts/base-url.ts'
import { fieldError } from '../../../lib/app-error.ts'

/** The webhook URL of a GitHub App. */
export function hookUrlOf(site: string, hookKey: string): string {
  return `${site}/api/webhooks/git?app=${hookKey}`
}

/** Identifies an app in its webhook URL, and cannot be guessed. */
export function newHookKey(): string {
  return randomBytes(16).toString('base64url')
}

export function baseUrlOf(text: string | undefined): string {
  const baseUrl = parseBaseUrl('github', text)
  if (baseUrl === null)
    throw fieldError('invalid_request', 'baseUrl', 'must be the https:// address of GitHub Enterprise, such as https://github.example.com')
  return baseUrl
}
