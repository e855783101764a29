import type { OperationName } from '@berth/contract'

type Group<Name extends string> = Name extends `${infer Word}.${string}` ? Word : Name

/** What the first word of an operation's name stands for. The order is that of the page. */
export const TAGS = {
  health: { name: 'Health', description: 'Whether the server works.' },
  auth: { name: 'Sessions', description: 'Set up the first account, log in, log out, and change your password.' },
  users: { name: 'Users', description: 'Accounts and their roles. For admins.' },
  invitations: { name: 'Invitations', description: 'One-time links for new people. For admins.' },
  overview: { name: 'Overview', description: 'Everything that the first page shows, at once.' },
  projects: { name: 'Projects', description: 'A project holds applications and has members.' },
  projectEnvs: { name: 'Project variables', description: 'Variables that the applications of a project can refer to.' },
  apps: { name: 'Applications', description: 'What is deployed: its source and its settings.' },
  envs: { name: 'Environment variables', description: 'Given to the container at the next deployment.' },
  domains: { name: 'Domains', description: 'The host names of applications, with their DNS and certificates.' },
  deployments: { name: 'Deployments', description: 'Build and start a version of an application, follow it, cancel it, go back.' },
  containers: { name: 'Containers', description: "Start, stop and watch an application's container." },
  stacks: { name: 'Services', description: 'The services of compose applications.' },
  figures: { name: 'App metrics', description: 'CPU, memory, requests, latency and errors of applications.' },
  git: { name: 'Git', description: 'Repositories and branches of connected git providers.' },
  webhooks: { name: 'Webhooks', description: 'What git providers call.' },
  templates: { name: 'Templates', description: 'Databases that can be created from a template.' },
  metrics: { name: 'Metrics', description: 'The load of the server.' },
  ports: { name: 'Ports', description: 'Ports of the server that applications publish. For admins.' },
  disk: { name: 'Disk', description: 'What takes room on the server, and how to free some. For admins.' },
  settings: { name: 'Settings', description: 'Settings of the server. For admins.' },
  audit: { name: 'Audit log', description: 'Who changed what. For admins.' },
  updates: { name: 'Updates', description: 'The version of the server, and newer ones.' },
} as const satisfies Record<Group<OperationName>, { name: string; description: string }>

export function tagOf(name: OperationName): string {
  return TAGS[name.split('.')[0] as Group<OperationName>].name // the first word of a name, by its type
}
