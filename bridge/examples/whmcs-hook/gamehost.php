<?php

/**
 * Sends clients and products of WHMCS to the API. Copy this file to includes/hooks/ and set the two values below.
 */

if (!defined('WHMCS')) {
    die('This file cannot be accessed directly');
}

define('GAMEHOST_URL', getenv('GAMEHOST_URL') ?: 'https://games.example.com');
// An administrator's key with the scope admin:users.
define('GAMEHOST_KEY', getenv('GAMEHOST_KEY') ?: 'gamehost_live_...');
// Only products of these server modules are sent.
define('GAMEHOST_MODULES', ['pterodactyl', 'pelican']);

/** Failures go to WHMCS's activity log. Every call can be repeated safely, and the client's next event sends the data again. */
function gamehost_call(string $method, string $path, ?array $body = null): void
{
    $options = [
        'method' => $method,
        'header' => ['Authorization: Bearer ' . GAMEHOST_KEY, 'Content-Type: application/json'],
        'timeout' => 10,
        'follow_location' => 0,
        'ignore_errors' => true,
    ];
    if ($body !== null) {
        $options['content'] = json_encode($body);
    }
    $context = stream_context_create(['http' => $options]);
    $answer = @fopen(GAMEHOST_URL . '/api/v1/admin' . $path, 'r', false, $context);
    $status = $answer ? stream_get_meta_data($answer)['wrapper_data'][0] : 'no answer';
    if (!preg_match('/^HTTP\S+ 2/', $status)) {
        logActivity("gamehost: $method $path: $status " . ($answer ? stream_get_contents($answer) : ''));
    }
}

/** The panel's module for WHMCS gives each user the client's uuid as external id. The API finds the user's servers by that id. */
function gamehost_client(int $id): array
{
    return localAPI('GetClientsDetails', ['clientid' => $id])['client'];
}

function gamehost_sync(int $id, array $changes = []): string
{
    $client = gamehost_client($id);
    gamehost_call('PUT', '/users/' . rawurlencode($client['uuid']), $changes + [
        'email' => $client['email'],
        'first_name' => $client['firstname'],
        'last_name' => $client['lastname'],
    ]);

    return $client['uuid'];
}

add_hook('ClientAdd', 1, fn (array $vars) => gamehost_sync((int) $vars['userid']));
add_hook('ClientEdit', 1, function (array $vars) {
    $id = (int) $vars['userid'];
    [$before, $now] = [$vars['olddata']['status'] ?? null, gamehost_client($id)['status']];
    $isClosed = $now === 'Closed';
    // Only a change of status changes `active`: a user may be suspended here for a reason other than a closed account.
    gamehost_sync($id, ($before === 'Closed') !== $isClosed ? ['active' => !$isClosed] : []);
});
add_hook('ClientClose', 1, fn (array $vars) => gamehost_sync((int) $vars['userid'], ['active' => false]));
add_hook('PreDeleteClient', 1, function (array $vars) {
    gamehost_call('DELETE', '/users/' . rawurlencode(gamehost_client((int) $vars['userid'])['uuid']));
});

/** Renewals are not sent: a paid invoice runs no module, so the date would become stale. */
function gamehost_details(array $product): array
{
    $id = (int) $product['serviceid'];
    $service = localAPI('GetClientsProducts', ['serviceid' => $id])['products']['product'][0] ?? [];
    $currency = gamehost_client((int) $product['userid'])['currency_code'] ?? '';
    $amount = $service['recurringamount'] ?? 0;
    $cycle = strtolower($service['billingcycle'] ?? '');

    return [
        'name' => mb_substr($service['name'] ?? '', 0, 100),
        'price' => (float) $amount > 0 ? "$amount $currency, $cycle" : null,
    ];
}

$statuses = [
    'AfterModuleCreate' => 'active',
    'AfterModuleUnsuspend' => 'active',
    'AfterModuleSuspend' => 'suspended',
    'AfterModuleTerminate' => 'canceled',
];
foreach ($statuses as $hook => $status) {
    add_hook($hook, 1, function (array $vars) use ($status) {
        $product = $vars['params'];
        if (!in_array($product['moduletype'], GAMEHOST_MODULES, true)) {
            return;
        }
        $user = gamehost_sync((int) $product['userid']);
        $path = '/subscriptions/whmcs-' . (int) $product['serviceid'];
        gamehost_call('PUT', $path, ['user' => $user, 'status' => $status] + gamehost_details($product));
    });
}
