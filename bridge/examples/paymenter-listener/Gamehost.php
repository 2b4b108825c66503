<?php

namespace App\Listeners;

use App\Events\Service;
use App\Events\User;
use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Support\Facades\Http;

/**
 * Sends users and services of Paymenter to the API. Copy this file to app/Listeners/, where Laravel finds it: each method
 * whose name begins with "handle" listens to the event of its argument's type.
 */
class Gamehost implements ShouldQueue
{
    /** The queue retries failed calls. Every call can be repeated safely. */
    public int $tries = 10;

    public array $backoff = [5, 60, 300, 1800];

    public function handleUserCreated(User\Created $event): void
    {
        $this->putUser($event->user);
    }

    public function handleUserUpdated(User\Updated $event): void
    {
        $this->putUser($event->user);
    }

    public function handleServiceCreated(Service\Created $event): void
    {
        $this->putService($event->service);
    }

    public function handleServiceUpdated(Service\Updated $event): void
    {
        $this->putService($event->service);
    }

    private function putUser(object $user): void
    {
        $this->put("/users/{$user->id}", [
            'email' => $user->email,
            'first_name' => $user->first_name,
            'last_name' => $user->last_name,
        ]);
    }

    private function putService(object $service): void
    {
        // A pending service is not paid for.
        if ($service->status === 'pending') {
            return;
        }
        // In older versions of Paymenter, only the order has the user.
        $user = $service->user ?? $service->order->user;
        $this->putUser($user);
        $this->put("/subscriptions/paymenter-{$service->id}", [
            'user' => (string) $user->id,
            'status' => $service->status === 'cancelled' ? 'canceled' : $service->status,
            'name' => mb_substr($service->product->name ?? '', 0, 100),
            'price' => trim(($service->price ?? '') . ' ' . ($service->currency_code ?? '')),
            'renews_at' => isset($service->expires_at) ? date(DATE_ATOM, strtotime($service->expires_at)) : null,
        ]);
    }

    /** Throws if the API refuses, so that the queue retries the call and lists it as failed after the last try. */
    private function put(string $path, array $body): void
    {
        $url = config('services.gamehost.url') . '/api/v1/admin' . $path;
        Http::withToken(config('services.gamehost.key'))->timeout(10)->put($url, $body)->throw();
    }
}
