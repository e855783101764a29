import type { Deployment } from '@berth/contract'

/** Hash, first line of the message and author of a deployed commit. All of it is untrusted text. */
export function CommitWords({ deployment }: { deployment: Pick<Deployment, 'commit_hash' | 'commit_message' | 'commit_author'> }) {
  const { commit_hash, commit_message, commit_author } = deployment
  if (commit_hash === '' && commit_message === '') return <span className="text-ink-soft">–</span>
  return (
    <span className="min-w-0">
      {commit_hash !== '' && (
        <code className="mr-2 rounded bg-sunken px-1 font-mono text-[13px]" title={commit_hash}>
          {commit_hash.slice(0, 7)}
        </code>
      )}
      <span className="break-words">{commit_message.split('\n')[0]}</span>
      {commit_author !== '' && <span className="text-ink-soft"> by {commit_author}</span>}
    </span>
  )
}
