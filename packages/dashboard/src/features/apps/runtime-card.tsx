import { type Application, RESTART_POLICIES, STRATEGIES } from '@berth/contract'
import { Card } from '../../components/card.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { RESTART_WORDS, STRATEGY_WORDS } from '../../lib/status.ts'
import { runtimeChange, runtimeValues } from './runtime-values.ts'
import { useAppForm } from './save-app.ts'

const RESTARTS = RESTART_POLICIES.map((value) => ({ value, label: RESTART_WORDS[value] }))
const STRATEGY_OPTIONS = STRATEGIES.map((value) => ({ value, label: STRATEGY_WORDS[value] }))

export function RuntimeCard({ app }: { app: Application }) {
  const form = useAppForm(app, runtimeValues(app), runtimeChange)
  return (
    <Card title="Runtime">
      <Form form={form} submit="Save">
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="Port" hint="The port your app listens on (also set as PORT)." inputMode="numeric" {...form.field('port')} />
          <TextField
            label="Health check path"
            hint="Checked before a release goes live. If empty, only the port is checked."
            placeholder="/health"
            mono
            {...form.field('healthcheckPath')}
          />
          <TextField
            label="CPU limit"
            hint="CPU cores, for example 0.5. If empty, the app can use all cores."
            inputMode="decimal"
            {...form.field('cpuLimit')}
          />
          <TextField
            label="Memory limit"
            hint="Megabytes. If empty, the app can use 90% of the server's memory."
            inputMode="numeric"
            {...form.field('memoryLimit')}
          />
          <SelectField label="Restart policy" options={RESTARTS} {...form.choice('restartPolicy')} />
          <SelectField
            label="Deployment strategy"
            hint="Rolling: the new release takes over once it is healthy."
            options={STRATEGY_OPTIONS}
            {...form.choice('deploymentStrategy')}
          />
        </div>
      </Form>
    </Card>
  )
}
