import type { Fields } from '../contract-input.ts'

const description = { field: 'description', summary: 'what the app is for' }
const port = { field: 'port', value: 'number', summary: 'the port the app listens on, or none' }
const source = {
  git: { field: 'gitCloneUrl', value: 'url', summary: 'the clone URL of its repository' },
  branch: { field: 'gitBranch', value: 'name', summary: 'the branch to deploy; empty for the default branch' },
  repository: { field: 'gitRepository', value: 'owner/name', summary: 'the name of its repository at a git provider' },
  provider: { field: 'gitProviderId', value: 'id', summary: 'the ID of a connected git provider, or none' },
  'auto-deploy': { field: 'autoDeploy', value: 'on|off', summary: 'whether a push deploys it (needs a git account)' },
  poll: {
    field: 'pollSource',
    value: 'on|off',
    summary: 'check the branch or image every few minutes; none: only branches without a working webhook',
  },
  root: { field: 'rootDirectory', value: 'path', summary: 'the directory in the repository to build' },
  dockerfile: { field: 'dockerfilePath', value: 'path', summary: 'the path of its Dockerfile, or none for the default' },
} as const satisfies Fields

const runtime = {
  port,
  healthcheck: { field: 'healthcheckPath', value: 'path', summary: 'a path that must respond before a release goes live; empty for none' },
  strategy: { field: 'deploymentStrategy', value: 'name', summary: 'rolling or recreate' },
  restart: { field: 'restartPolicy', value: 'policy', summary: 'no, always, on-failure or unless-stopped' },
  cpus: { field: 'cpuLimit', value: 'cores', summary: 'the most CPU cores it can use, or none' },
  memory: { field: 'memoryLimit', value: 'MB', summary: 'the most memory it can use, in megabytes, or none' },
  replicas: { field: 'replicas', value: 'number', summary: 'how many containers of it run at once, 1 to 20; each has these limits' },
  placement: {
    field: 'placement',
    value: 'where',
    summary: 'the servers that may run it: empty for any, this, server:<id> or label:<word> (berth servers)',
  },
} as const satisfies Fields

const build = {
  builder: { field: 'builder', value: 'name', summary: 'auto, dockerfile, static or image' },
  image: { field: 'image', value: 'name', summary: 'run this ready image, such as nginx:1.27, instead of building a repository' },
  'install-command': { field: 'installCommand', value: 'command', summary: 'installs what it needs; empty for what is detected' },
  'build-command': { field: 'buildCommand', value: 'command', summary: 'builds it; empty for what is detected' },
  'start-command': { field: 'startCommand', value: 'command', summary: 'starts it; empty for what is detected' },
  output: { field: 'outputDirectory', value: 'path', summary: 'the directory that a static site is served from' },
  'release-command': {
    field: 'releaseCommand',
    value: 'command',
    summary: 'runs in the new image before it goes live, for example for migrations',
  },
  submodules: { field: 'submodules', value: 'on|off', summary: 'whether the submodules of the repository are fetched' },
  lfs: { field: 'lfs', value: 'on|off', summary: 'whether the files that the repository keeps in Git LFS are fetched' },
  target: { field: 'buildTarget', value: 'stage', summary: 'the stage of the Dockerfile to build; empty for the last' },
} as const satisfies Fields

export const newAppFields = {
  description,
  type: { field: 'appType', value: 'type', summary: 'web, service, database or compose' },
  template: { field: 'templateName', value: 'name', summary: 'create a database from this template (berth templates)' },
  ...source,
  ...build,
  ...runtime,
} as const satisfies Fields

export const changeFields = {
  name: { field: 'name', summary: 'a new name' },
  description,
  ...source,
  ...build,
  ...runtime,
} as const satisfies Fields
