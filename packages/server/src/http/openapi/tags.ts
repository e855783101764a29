import type { OperationName } from '@berth/contract'

type Group<Name extends string> = Name extends `${infer Word}.${string}` ? Word : Name

/** Descriptions of the first word of operation names, in the order of the page. */
export const TAGS = {
  health: { name: 'Health', description: 'Whether the server works.' },
  doctor: { name: 'Checks', description: 'What is wrong with the machine, and what to do.' },
  auth: { name: 'Sessions', description: 'Set up the first account, log in, log out, and change your password.' },
  users: { name: 'Users', description: 'Accounts and their roles. For admins.' },
  invitations: { name: 'Invitations', description: 'One-time links for new people. For admins.' },
  overview: { name: 'Overview', description: 'Everything the first page of the dashboard shows, in one call.' },
  projects: { name: 'Projects', description: 'A project holds apps and has members.' },
  projectEnvs: { name: 'Project variables', description: 'Variables that the apps of a project can refer to.' },
  apps: { name: 'Apps', description: 'Apps: their sources and settings.' },
  envs: { name: 'Environment variables', description: 'Environment variables, passed to the container at the next deployment.' },
  volumes: { name: 'Volumes', description: 'Data that an app keeps across its releases. `apps/update` sets which it has.' },
  files: { name: 'Files', description: 'Files with their own content, put into the containers at the next deployment.' },
  domains: { name: 'Domains', description: 'The host names of apps, with their DNS and certificates.' },
  deployments: { name: 'Deployments', description: 'Deploy an app, follow or cancel a deployment, roll back.' },
  builds: { name: 'Build plans', description: 'What a deployment would build, before there is one.' },
  containers: { name: 'Containers', description: "Start, stop and watch an app's container." },
  stacks: { name: 'Services', description: 'The services of compose apps.' },
  figures: { name: 'App metrics', description: 'CPU, memory, requests, latency and errors of apps.' },
  git: { name: 'Git', description: 'Repositories and branches of connected git providers.' },
  registries: { name: 'Registries', description: 'Credentials for image registries.' },
  webhooks: { name: 'Webhooks', description: 'Called by git providers.' },
  templates: { name: 'Templates', description: 'Templates that databases can be created from.' },
  metrics: { name: 'Metrics', description: 'The load of the server.' },
  ports: { name: 'Ports', description: 'Ports of the server that apps publish. For admins.' },
  disk: { name: 'Disk', description: 'Disk usage of the server, and clean-up. For admins.' },
  settings: { name: 'Settings', description: 'Settings of the server. For admins.' },
  audit: { name: 'Audit log', description: 'Who changed what. For admins.' },
  backups: { name: 'Backups', description: 'Backups of Berth itself, as files on the server. For the owner.' },
  servers: { name: 'Servers', description: 'The machines that containers run on.' },
  nodes: { name: 'Nodes', description: 'The control planes, if several share a database.' },
  updates: { name: 'Updates', description: 'The version of the server, and newer ones.' },
} as const satisfies Record<Group<OperationName>, { name: string; description: string }>

export function tagOf(name: OperationName): string {
  return TAGS[name.split('.')[0] as Group<OperationName>].name // the first word of a name, by its type
}
