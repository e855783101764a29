import { type Application, RESTART_POLICIES, STRATEGIES } from '@berth/contract'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
import { RESTART_WORDS, STRATEGY_WORDS } from '../../lib/status.ts'
import { runtimeChange, runtimeValues } from './runtime-values.ts'
import { useAppForm } from './save-app.ts'

const RESTARTS = RESTART_POLICIES.map((value) => ({ value, label: RESTART_WORDS[value] }))
const STRATEGY_OPTIONS = STRATEGIES.map((value) => ({ value, label: STRATEGY_WORDS[value] }))

export function RuntimeCard({ app }: { app: Application }) {
  const { values, set, submit, problems, pending, failure } = useAppForm(app, runtimeValues(app), runtimeChange)
  return (
    <Card title="Running">
      <form className="grid gap-4" onSubmit={submit} noValidate>
        {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Port"
            hint="The port your app listens on, passed to it as PORT."
            inputMode="numeric"
            value={values.port}
            onText={(text) => set('port', text)}
            problem={problems['port']}
          />
          <TextField
            label="Health path"
            hint="Checked before a release goes live. If empty, only the port is checked."
            placeholder="/health"
            mono
            value={values.healthcheckPath}
            onText={(text) => set('healthcheckPath', text)}
            problem={problems['healthcheckPath']}
          />
          <TextField
            label="CPU limit"
            hint="Cores, such as 0.5. If empty, the app can use every core."
            inputMode="decimal"
            value={values.cpuLimit}
            onText={(text) => set('cpuLimit', text)}
            problem={problems['cpuLimit']}
          />
          <TextField
            label="Memory limit"
            hint="Megabytes. If empty, the app can use 90% of the server's memory."
            inputMode="numeric"
            value={values.memoryLimit}
            onText={(text) => set('memoryLimit', text)}
            problem={problems['memoryLimit']}
          />
          <SelectField
            label="Restart the container"
            value={values.restartPolicy}
            options={RESTARTS}
            onPick={(pick) => set('restartPolicy', pick)}
          />
          <SelectField
            label="Deployment strategy"
            hint="Rolling: the new release takes over once it is healthy."
            value={values.deploymentStrategy}
            options={STRATEGY_OPTIONS}
            onPick={(pick) => set('deploymentStrategy', pick)}
          />
        </div>
        <div>
          <Button kind="primary" type="submit" pending={pending}>
            Save
          </Button>
        </div>
      </form>
    </Card>
  )
}
