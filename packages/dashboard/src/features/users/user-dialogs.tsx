import { ROLES, type Role, type User } from '@berth/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../../components/dialog.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { toast } from '../../components/toast.tsx'
import { ROLE_WORDS } from '../../lib/status.ts'
import { type FormFields, useForm } from '../../lib/use-form.ts'
import { useMe } from '../session/queries.ts'
import { userKeys } from './queries.ts'

/** Nobody can grant a role above their own, and a new account cannot be an owner. */
export function roleOptions(own: Role, withOwner: boolean) {
  return ROLES.filter((role) => ROLES.indexOf(role) <= ROLES.indexOf(own) && (withOwner || role !== 'owner')).map((value) => ({
    value,
    label: ROLE_WORDS[value].label,
  }))
}

type Values = { email: string; password: string; role: Role }

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
      toast(`${email} saved.`)
      onClose()
    },
  })
  return (
    <Dialog title={`Edit ${user.email}`} onClose={onClose}>
      <Form form={form} submit="Save" onCancel={onClose}>
        <UserFields form={form} />
      </Form>
    </Dialog>
  )
}

function UserFields({ form }: { form: FormFields<Values> }) {
  const options = roleOptions(useMe().role, true)
  return (
    <>
      <TextField label="Email" type="email" autoComplete="off" {...form.field('email')} />
      <TextField
        label="New password"
        type="password"
        autoComplete="new-password"
        hint="Leave empty to keep it. Changing the role or password logs them out."
        {...form.field('password')}
      />
      <SelectField label="Role" hint={ROLE_WORDS[form.values.role].summary} options={options} {...form.choice('role')} />
    </>
  )
}
