import { ROLES, type Role, type User } from '@berth/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
import { toast } from '../../components/toast.tsx'
import { ROLE_WORDS } from '../../lib/status.ts'
import { useForm } from '../../lib/use-form.ts'
import { useMe } from '../session/queries.ts'
import { userKeys } from './queries.ts'

/** Nobody grants a role above their own, and `owner` is not granted to a new account. */
function roleOptions(own: Role, withOwner: boolean) {
  return ROLES.filter((role) => ROLES.indexOf(role) <= ROLES.indexOf(own) && (withOwner || role !== 'owner')).map((value) => ({
    value,
    label: ROLE_WORDS[value].label,
  }))
}

type Values = { email: string; password: string; role: Role }

export function NewUser({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const initial: Values = { email: '', password: '', role: 'user' }
  const form = useForm('users.create', {
    initial,
    input: (values) => values,
    onDone: async ({ email }) => {
      await client.invalidateQueries({ queryKey: userKeys.list })
      toast(`${email} can log in now.`)
      onClose()
    },
  })
  return (
    <Dialog title="New user" onClose={onClose}>
      <form className="grid gap-4" onSubmit={form.submit} noValidate>
        {form.failure !== undefined && <Notice tone="bad">{form.failure}</Notice>}
        <UserFields form={form} passwordHint="At least 8 characters. Tell it to them; they can change it." withOwner={false} />
        <Buttons pending={form.pending} action="Create the user" onClose={onClose} />
      </form>
    </Dialog>
  )
}

export function EditUser({ user, onClose }: { user: User; onClose: () => void }) {
  const client = useQueryClient()
  const initial: Values = { email: user.email, password: '', role: user.role }
  const form = useForm('users.update', {
    initial,
    input: ({ email, password, role }) => ({
      id: user.id,
      ...(email === user.email ? {} : { email }),
      ...(role === user.role ? {} : { role }),
      ...(password === '' ? {} : { password }),
    }),
    onDone: async ({ email }) => {
      await client.invalidateQueries({ queryKey: userKeys.list })
      toast(`${email} is saved.`)
      onClose()
    },
  })
  return (
    <Dialog title={`Edit ${user.email}`} onClose={onClose}>
      <form className="grid gap-4" onSubmit={form.submit} noValidate>
        {form.failure !== undefined && <Notice tone="bad">{form.failure}</Notice>}
        <UserFields form={form} passwordHint="Empty keeps it. A new role or password ends their sessions." withOwner />
        <Buttons pending={form.pending} action="Save" onClose={onClose} />
      </form>
    </Dialog>
  )
}

type FieldsForm = {
  values: Values
  set: <Key extends keyof Values>(key: Key, value: Values[Key]) => void
  problems: Record<string, string>
}

function UserFields({ form, passwordHint, withOwner }: { form: FieldsForm; passwordHint: string; withOwner: boolean }) {
  const { values, set, problems } = form
  const options = roleOptions(useMe().role, withOwner)
  return (
    <>
      <TextField
        label="E-mail"
        type="email"
        autoComplete="off"
        value={values.email}
        onText={(email) => set('email', email)}
        problem={problems['email']}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="new-password"
        hint={passwordHint}
        value={values.password}
        onText={(password) => set('password', password)}
        problem={problems['password']}
      />
      <SelectField
        label="Role"
        hint={ROLE_WORDS[values.role].summary}
        value={values.role}
        options={options}
        onPick={(role) => set('role', role)}
        problem={problems['role']}
      />
    </>
  )
}

function Buttons({ pending, action, onClose }: { pending: boolean; action: string; onClose: () => void }) {
  return (
    <div className="flex justify-end gap-2">
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" type="submit" pending={pending}>
        {action}
      </Button>
    </div>
  )
}
