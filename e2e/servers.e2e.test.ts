import { expect, it } from 'vitest'
import { openSwarmBed } from '../packages/server/testing/harness/swarm-bed.ts'
import { startBrowserLab } from './browser-lab.ts'
import { gone, press, shown } from './wait.ts'

it('a server is added, checked, labelled, drained and removed by clicking', async () => {
  await using bed = await openSwarmBed({ nodes: 2, flags: () => ['--no-new-privileges'] })
  const [here, second] = bed.nodes
  if (!here || !second) throw new Error('too few machines')
  await using lab = await startBrowserLab({ env: { HOST: bed.gateway, DOCKER_HOST: `unix://${here.engine.socketPath}` } })
  const page = await lab.signedIn()
  const dialog = page.getByRole('dialog')

  await page.getByRole('link', { name: 'Servers' }).click()
  await shown(page.getByRole('heading', { name: 'n1' }))
  await press(page.getByRole('button', { name: 'Add server' }), dialog)
  await shown(dialog.getByText('The containers that run now are not touched.'))
  expect(await dialog.getByRole('button', { name: 'Switch Swarm on' }).isDisabled()).toBe(true)
  await dialog.getByLabel('Address of this server that the others use').fill(here.address)
  await dialog.getByLabel('I agree').check()
  await dialog.getByRole('button', { name: 'Switch Swarm on' }).click()
  await shown(page.getByRole('heading', { name: 'Run this on the new server' }))
  const command = (await dialog.locator('code').textContent()) ?? ''
  await dialog.getByRole('button', { name: 'Done' }).click()
  await shown(page.getByText('Waiting for a server'))
  await second.run('sh', '-c', command)

  await shown(page.getByRole('heading', { name: 'n2' }))
  await shown(page.getByText('Packets of full size pass in both directions.'))
  await gone(page.getByText('Waiting for a server'))
  const pick = async (name: string) => {
    await press(page.getByRole('button', { name: 'Actions for n2' }), page.getByRole('menu'))
    await page.getByRole('menuitem', { name }).click()
  }
  await pick('Labels')
  await dialog.getByLabel('Labels').fill('ssd zone-a')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await shown(page.getByText('zone-a', { exact: true }))

  const remove = async () => {
    await pick('Remove')
    await dialog.getByLabel('Type "n2" to confirm').fill('n2')
    await dialog.getByRole('button', { name: 'Remove server' }).click()
  }
  await remove()
  await shown(dialog.getByText('Drain n2 first'))
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await pick('Drain')
  await shown(page.getByText('Drained', { exact: true }))
  await remove()
  await shown(dialog.getByText('docker swarm leave'))
  await dialog.getByRole('button', { name: 'Done' }).click()
  await gone(page.getByRole('heading', { name: 'n2' }))
  await page.getByRole('button', { name: 'Switch Swarm off' }).click()
  await dialog.getByRole('button', { name: 'Switch off' }).click()
  await shown(page.getByText('Swarm is off.'))
  expect(lab.problems).toEqual([])
})
