// Lints the API description that the server sends at /openapi.json. It needs no network and no running server.
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { openApi } from '../packages/server/src/http/openapi/openapi.ts'

const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    'no-ambiguous-paths': 'off', // an address that is spelled out wins over one with a parameter
    'security-defined': 'error',
    'operation-operationId': 'error',
    'tag-description': 'error',
    'operation-tag-defined': 'error',
    'no-invalid-media-type-examples': 'error',
    'no-invalid-parameter-examples': 'error',
  },
})
const problems = await lintFromString({ source: JSON.stringify(openApi('0.0.0')), absoluteRef: 'openapi.json', config })
for (const { ruleId, message, location } of problems)
  console.error(`${ruleId}: ${message} (${location.map(({ pointer }) => pointer).join(', ')})`)
process.exitCode = problems.length === 0 ? 0 : 1
