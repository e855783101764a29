import type { ReactNode } from 'react'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { useDeploy } from './use-deploy.ts'

/** Says what has changed since the live release, with a button that deploys it. */
export function DeployNotice({ appId, children }: { appId: number; children: ReactNode }) {
  const deploy = useDeploy()
  return (
    <Notice
      tone="warn"
      actions={
        <Button pending={deploy.isPending} onClick={() => deploy.mutate({ appId })}>
          Deploy now
        </Button>
      }
    >
      {children}
    </Notice>
  )
}
