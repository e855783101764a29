import { Button } from './button.tsx'

type Paged = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> }

/** Below a list that is loaded page by page, while there is more. */
export function LoadOlder({ query }: { query: Paged }) {
  if (!query.hasNextPage) return null
  return (
    <div className="border-t border-line p-3 text-center">
      <Button pending={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        Load older
      </Button>
    </div>
  )
}
