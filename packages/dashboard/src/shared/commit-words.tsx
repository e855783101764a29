import type { Deployment } from '@berth/contract'

type Shown = Pick<Deployment, 'commit_hash' | 'commit_message' | 'commit_author' | 'commit_url' | 'image_ref'>

/** Databases and stacks without a repository are deployed from neither a commit nor an image of their own. */
export function hasCommitWords({ commit_hash, commit_message, image_ref }: Shown): boolean {
  return commit_hash !== '' || commit_message !== '' || image_ref !== ''
}

/** Hash, first line of the message and author of a deployed commit, or the image and its digest. All of it is untrusted text. */
export function CommitWords({ deployment }: { deployment: Shown }) {
  const { commit_hash, commit_message, commit_author, commit_url, image_ref } = deployment
  if (image_ref !== '') return <ImageWords reference={image_ref} />
  if (!hasCommitWords(deployment)) return <span className="text-ink-soft">–</span>
  return (
    <span className="min-w-0">
      {commit_hash !== '' && (
        <span className="mr-2">
          <CommitLink url={commit_url} hash={commit_hash} />
        </span>
      )}
      <span className="break-words">{commit_message.split('\n')[0]}</span>
      {commit_author !== '' && <span className="text-ink-soft"> by {commit_author}</span>}
    </span>
  )
}

function ImageWords({ reference }: { reference: string }) {
  const [name = '', digest = ''] = reference.split('@')
  return (
    <span className="min-w-0 [overflow-wrap:anywhere]" title={reference}>
      {name.replace(/^docker\.io\/(library\/)?/, '')}{' '}
      <code className="rounded bg-sunken px-1 font-mono text-[13px]">{digest.slice('sha256:'.length).slice(0, 12)}</code>
    </span>
  )
}

/** The short hash, linked to the commit on its host if that is known. */
function CommitLink({ url, hash }: { url: string; hash: string }) {
  const look = 'rounded bg-sunken px-1 font-mono text-[13px]'
  if (!url.startsWith('https://'))
    return (
      <code className={look} title={hash}>
        {hash.slice(0, 7)}
      </code>
    )
  return (
    <a href={url} target="_blank" rel="noreferrer" title={`View ${hash} at the Git host`} className={`${look} text-accent underline`}>
      {hash.slice(0, 7)}
    </a>
  )
}
