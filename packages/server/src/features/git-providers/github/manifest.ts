type Wanted = { name: string; site: string; webhookUrl: string }

/** What GitHub creates an app from: see its "Registering a GitHub App from a manifest". */
export function manifestOf({ name, site, webhookUrl }: Wanted): string {
  return JSON.stringify({
    name,
    url: site,
    hook_attributes: { url: webhookUrl, active: true },
    redirect_url: `${site}/api/git/github/created`,
    setup_url: `${site}/api/git/github/installed`,
    setup_on_update: false,
    public: false, // nobody else can install it
    default_permissions: { contents: 'read', metadata: 'read', statuses: 'write', deployments: 'write' },
    default_events: ['push'],
  })
}

/** Where the browser posts the manifest. */
export function manifestAction(baseUrl: string, organization: string | undefined, state: string): string {
  const place = organization === undefined ? '/settings/apps/new' : `/organizations/${encodeURIComponent(organization)}/settings/apps/new`
  return `${baseUrl}${place}?state=${state}`
}
