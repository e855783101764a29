import { SelectField } from '../components/field.tsx'

/** Who will own the account: the user, the project, or either. */
export type NewOwner = 'me' | { projectId: number } | { projectId: number; orMe: true; projectName: string }
type Whose = 'me' | 'project'

/** What the field begins with. */
export function firstOwner(owner: NewOwner): Whose {
  return owner === 'me' || 'orMe' in owner ? 'me' : 'project'
}

export function projectOf(owner: NewOwner, whose: Whose): number | null {
  return owner === 'me' || whose === 'me' ? null : owner.projectId
}

type Props = { owner: NewOwner; value: Whose; onPick: (value: Whose) => void; problem: string | undefined }

/** Only where there is a choice. */
export function WhoCanUse({ owner, ...choice }: Props) {
  if (owner === 'me' || !('orMe' in owner)) return null
  const options = [
    { value: 'me', label: 'Only me' },
    { value: 'project', label: `Every member of ${owner.projectName}` },
  ] as const
  return <SelectField label="Who can use it" options={options} {...choice} />
}
