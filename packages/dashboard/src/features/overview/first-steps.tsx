import type { Project } from '@berth/contract'
import { useNavigate } from '@tanstack/react-router'
import { ButtonLink } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { useForm } from '../../lib/use-form.ts'
import { paths } from '../../paths.ts'

/** From an empty server to the first app: a project, an app with its source, a deployment. */
export function FirstSteps({ projects }: { projects: readonly Project[] }) {
  const [first] = projects
  return (
    <Card title="Your first deployment" note="Three steps, about a minute.">
      <ol className="grid gap-5 md:grid-cols-3">
        <Step number={1} done={first !== undefined} title="Create a project">
          {first ? <p>“{first.name}” is ready.</p> : <ProjectForm />}
        </Step>
        <Step number={2} done={false} title="Add an app">
          <p>Use a Git repository, a container image or a database template.</p>
          {first && (
            <div className="mt-3">
              <ButtonLink kind="primary" icon="plus" to={paths.newApp(first.id)}>
                Add an app
              </ButtonLink>
            </div>
          )}
        </Step>
        <Step number={3} done={false} title="Deploy and open it">
          <p>Berth builds the image, waits until the app is healthy and routes traffic to it.</p>
        </Step>
      </ol>
    </Card>
  )
}

function Step({ number, done, title, children }: { number: number; done: boolean; title: string; children: React.ReactNode }) {
  return (
    <li className="flex gap-3">
      <span
        className={`grid size-7 shrink-0 place-items-center rounded-full text-sm font-semibold ${done ? 'bg-good-soft text-good' : 'bg-accent-soft text-accent'}`}
      >
        {done ? <Icon name="check" /> : number}
      </span>
      <div className="min-w-0 flex-1 text-sm text-ink-soft">
        <h3 className="mb-1 pt-0.5 font-semibold text-ink">{title}</h3>
        {children}
      </div>
    </li>
  )
}

function ProjectForm() {
  const navigate = useNavigate()
  const form = useForm('projects.create', {
    initial: { name: '' },
    input: (values) => values,
    onDone: ({ id }) => navigate({ to: paths.newApp(id) }),
  })
  return (
    <Form form={form} submit="Create project">
      <TextField label="Project name" placeholder="My project" {...form.field('name')} />
    </Form>
  )
}
