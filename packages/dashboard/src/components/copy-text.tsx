import { CopyButton } from './copy-button.tsx'

/** A text to be taken elsewhere, whole. */
export function CopyText({ label, text }: { label: string; text: string }) {
  return (
    <div className="min-w-0">
      <p className="mb-1 text-[13px] font-medium">{label}</p>
      <div className="flex items-start gap-1 rounded-md border border-line bg-sunken py-0.5 pr-0.5 pl-2.5">
        <code className="min-w-0 flex-1 py-2 font-mono text-[13px] break-all">{text}</code>
        <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
      </div>
    </div>
  )
}
