import { type AppFileContent, DEFAULT_FILE_MODE, type FileEncoding } from '@berth/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ChangeEvent, useId } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { AreaField, SelectField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { toast } from '../../components/toast.tsx'
import { type FormFields, useForm } from '../../lib/use-form.ts'
import { appKeys, fileContent } from './queries.ts'
import { contentOf } from './uploaded-file.ts'

type Props = { appId: number; path?: string; onClose: () => void }
type Values = { path: string; mode: string; encoding: FileEncoding; content: string }

const MODES = [
  { value: '0444', label: '0444 · everyone can read it' },
  { value: '0440', label: '0440 · root and its group can read it' },
  { value: '0400', label: '0400 · only root can read it' },
  { value: '0555', label: '0555 · everyone can read and run it' },
] as const
const NEW: Values = { path: '', mode: DEFAULT_FILE_MODE, encoding: 'utf8', content: '' }

export function FileDialog({ appId, path, onClose }: Props) {
  return (
    <Dialog wide title={path === undefined ? 'Add file' : `Edit ${path}`} onClose={onClose}>
      {path === undefined ? (
        <FileForm appId={appId} initial={NEW} isNew onClose={onClose} />
      ) : (
        <Existing appId={appId} path={path} onClose={onClose} />
      )}
    </Dialog>
  )
}

function Existing({ appId, path, onClose }: Required<Props>) {
  return (
    <QueryView query={useQuery(fileContent(appId, path))}>
      {({ mode, encoding, content }: AppFileContent) => (
        <FileForm appId={appId} initial={{ path, mode, encoding, content }} isNew={false} onClose={onClose} />
      )}
    </QueryView>
  )
}

function FileForm({ appId, initial, isNew, onClose }: { appId: number; initial: Values; isNew: boolean; onClose: () => void }) {
  const client = useQueryClient()
  const form = useForm('files.save', {
    initial,
    input: (values) => ({ appId, ...values }),
    onDone: async ({ path }) => {
      await client.invalidateQueries({ queryKey: appKeys.files(appId) })
      toast(`${path} saved. Deploy to apply it.`)
      onClose()
    },
  })
  const { mode } = form.values
  const modes: readonly { value: string; label: string }[] = MODES.some(({ value }) => value === mode)
    ? MODES
    : [...MODES, { value: mode, label: mode }]
  return (
    <Form form={form} submit="Save" disabled={form.values.path === ''} onCancel={onClose}>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Path in the container"
          mono
          placeholder="/app/config.json"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          disabled={!isNew}
          {...form.field('path')}
        />
        <SelectField label="Mode" options={modes} {...form.choice('mode')} hint="The file belongs to root." />
      </div>
      <Content form={form} />
    </Form>
  )
}

/** A text is edited; anything else is shown by its size, and replaced by another file. */
function Content({ form }: { form: FormFields<Values> }) {
  const id = useId()
  const { encoding, content } = form.values
  async function take({ target }: ChangeEvent<HTMLInputElement>): Promise<void> {
    const [file] = target.files ?? []
    if (file) form.patch(contentOf(new Uint8Array(await file.arrayBuffer())))
    target.value = ''
  }
  return (
    <div className="grid gap-3">
      {encoding === 'utf8' ? (
        <AreaField
          label="Content"
          mono
          rows={14}
          wrap="off"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          {...form.field('content')}
        />
      ) : (
        <p className="text-sm text-ink-soft">
          A binary file of {Math.floor((content.replace(/=+$/, '').length * 3) / 4).toLocaleString('en')} bytes.{' '}
          {form.problems['content'] !== undefined && <span className="text-bad">{form.problems['content']}</span>}
        </p>
      )}
      <div className="min-w-0">
        <label htmlFor={id} className="mb-1 block text-[13px] font-medium">
          Or upload a file from your computer
        </label>
        <input
          id={id}
          type="file"
          className="max-w-full text-[13px] text-ink-soft file:mr-3 file:min-h-9 file:cursor-pointer file:rounded-md file:border file:border-solid file:border-line-strong/50 file:bg-raised file:px-3 file:text-sm file:font-medium file:text-ink hover:file:bg-sunken"
          onChange={(event) => void take(event)}
        />
      </div>
    </div>
  )
}
