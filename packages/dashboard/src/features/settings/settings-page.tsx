import { AUTOMATIC_UPDATES, BACKUP_SCHEDULES, type Settings, UPDATE_CHANNELS } from '@berth/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Card } from '../../components/card.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { PageHeader } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { toast } from '../../components/toast.tsx'
import { useForm } from '../../lib/use-form.ts'
import { useUnsavedWarning } from '../../lib/use-unsaved-warning.ts'
import { settings, settingsKeys } from './queries.ts'

type Chosen = 'backupSchedule' | 'updateChannel' | 'automaticUpdates'
type Values = { [Key in Exclude<keyof Settings, Chosen>]: string } & Pick<Settings, Chosen>
type Line = { key: Exclude<keyof Settings, Chosen>; label: string; hint: string; placeholder?: string; inputMode?: 'numeric' }
type Group = { title: string; lines: readonly Line[] }

const GROUPS: readonly Group[] = [
  {
    title: 'Addresses',
    lines: [
      {
        key: 'wildcardDomain',
        label: 'Wildcard domain',
        hint: 'Each app gets a name under it. Point *.this-domain to this server.',
        placeholder: 'apps.example.com',
      },
      {
        key: 'automaticDomain',
        label: 'Automatic domain',
        hint: 'Without a wildcard, apps get a name that contains the address of this server. Empty turns this off.',
        placeholder: 'sslip.io',
      },
      {
        key: 'dashboardDomain',
        label: 'Dashboard domain',
        hint: 'Serves this dashboard over HTTPS.',
        placeholder: 'berth.example.com',
      },
    ],
  },
  {
    title: 'Certificates',
    lines: [
      {
        key: 'acmeEmail',
        label: 'Email',
        hint: 'The certificate authority sends expiry warnings here.',
        placeholder: 'admin@example.com',
      },
      {
        key: 'acmeDirectory',
        label: 'ACME directory',
        hint: "Leave empty for Let's Encrypt.",
        placeholder: 'https://acme.example.com/directory',
      },
    ],
  },
  {
    title: 'Deployments',
    lines: [
      { key: 'retention', label: 'Releases to keep', hint: 'How many releases of each app you can roll back to.', inputMode: 'numeric' },
      {
        key: 'concurrency',
        label: 'Concurrent deployments (0 = automatic)',
        hint: 'How many apps are built and deployed at the same time.',
        inputMode: 'numeric',
      },
    ],
  },
]

const SCHEDULE_WORDS = { off: 'Off', daily: 'Every day', weekly: 'Every week' } as const satisfies Record<
  Settings['backupSchedule'],
  string
>

const CHANNEL_WORDS = { stable: 'Stable', next: 'Next (early versions)' } as const satisfies Record<Settings['updateChannel'], string>
const AUTOMATIC_WORDS = { off: 'Off', patch: 'Patch versions only', all: 'All versions' } as const satisfies Record<
  Settings['automaticUpdates'],
  string
>

export function SettingsPage() {
  return (
    <>
      <PageHeader title="Settings" note="These apply to the whole server." />
      <QueryView query={useQuery(settings)}>{(now) => <SettingsForm now={now} />}</QueryView>
    </>
  )
}

function SettingsForm({ now }: { now: Settings }) {
  const form = useSettingsForm(now)
  useUnsavedWarning(form.touched)
  return (
    <Form form={form} submit="Save" disabled={!form.touched} isSticky className="max-w-3xl">
      {GROUPS.map(({ title, lines }) => (
        <Card key={title} title={title}>
          <div className="grid gap-4 sm:grid-cols-2">
            {lines.map(({ key, ...line }) => (
              <TextField key={key} {...line} {...form.field(key)} />
            ))}
          </div>
        </Card>
      ))}
      <Card title="Backups of Berth">
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label="Schedule"
            hint="The Health page lists them. Volumes of apps are not included."
            options={BACKUP_SCHEDULES.map((value) => ({ value, label: SCHEDULE_WORDS[value] }))}
            {...form.choice('backupSchedule')}
          />
          <TextField label="Backups to keep" hint="Backups of older days are deleted." inputMode="numeric" {...form.field('backupsKept')} />
        </div>
      </Card>
      <Card title="Updates of Berth">
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Update feed"
            hint="Where new versions are published. Empty turns updates off."
            placeholder="https://updates.example.com"
            {...form.field('updateFeed')}
          />
          <SelectField
            label="Channel"
            hint="The Health page shows new versions."
            options={UPDATE_CHANNELS.map((value) => ({ value, label: CHANNEL_WORDS[value] }))}
            {...form.choice('updateChannel')}
          />
          <SelectField
            label="Automatic updates"
            hint="A version that failed here is not tried again automatically."
            options={AUTOMATIC_UPDATES.map((value) => ({ value, label: AUTOMATIC_WORDS[value] }))}
            {...form.choice('automaticUpdates')}
          />
          <TextField label="Time (UTC)" hint="Empty means any time." placeholder="02:00-05:00" {...form.field('updateWindow')} />
        </div>
      </Card>
    </Form>
  )
}

function useSettingsForm(now: Settings) {
  const client = useQueryClient()
  const initial: Values = {
    ...now,
    retention: String(now.retention),
    concurrency: String(now.concurrency),
    backupsKept: String(now.backupsKept),
  }
  return useForm('settings.update', {
    initial,
    input: (values) => ({
      ...values,
      retention: Number(values.retention),
      concurrency: Number(values.concurrency),
      backupsKept: Number(values.backupsKept),
    }),
    onDone: (answer) => {
      client.setQueryData(settingsKeys.all, answer)
      toast('Settings saved.')
    },
  })
}
