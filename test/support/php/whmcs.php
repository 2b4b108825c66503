<?php

/** What the hook needs of WHMCS, and the events of a client's first weeks. Arguments: the hook's file, and the events as JSON. */

define('WHMCS', true);

$hooks = [];
$clients = [];

function add_hook(string $point, int $priority, callable $run): void
{
    global $hooks;
    $hooks[$point][] = $run;
}

function localAPI(string $command, array $values): array
{
    global $clients;
    $product = ['name' => 'Survival 8 GB', 'recurringamount' => '12.00', 'billingcycle' => 'Monthly'];

    return ['result' => 'success'] + match ($command) {
        'GetClientsDetails' => ['client' => $clients[$values['clientid']]],
        'GetClientsProducts' => ['products' => ['product' => $values['serviceid'] ? [$product] : []]],
    };
}

function logActivity(string $message): void
{
    echo "$message\n";
}

require $argv[1];

foreach (json_decode($argv[2], true) as [$point, $vars, $client]) {
    $clients[$client['id']] = $client;
    foreach ($hooks[$point] ?? throw new LogicException($point) as $run) {
        $run($vars);
    }
}
