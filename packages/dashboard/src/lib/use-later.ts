import { useEffect, useState } from 'react'

const LATER_MS = 10_000

/** For what can wait until the page itself has loaded. */
export function useLater(): boolean {
  const [isLater, setIsLater] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLater(true), LATER_MS)
    return () => clearTimeout(timer)
  }, [])
  return isLater
}
